/** How a body ends: there is none, it has a length, its chunks say, or the connection's end does. */
export type BodyFraming =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "close" };

/** No body. */
export const NO_BODY: BodyFraming = { kind: "none" };

/** Chunks. */
export const CHUNKED: BodyFraming = { kind: "chunked" };

/** The longest head that is read, in bytes. */
export const HEAD_BYTES = 32 * 1024;
