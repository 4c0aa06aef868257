/**
 * Colours that people with any colour vision tell apart, in print too: each client has a hue, with the dark
 * shade for a connection per request and the light one for a shared connection.
 *
 * Source: M. Okabe and K. Ito, "Color Universal Design" (2008), https://jfly.uni-koeln.de/color/; the green
 * pair from P. Tol, "Colour Schemes" (2021), https://personal.sron.nl/~pault/.
 */
const KNOWN: Readonly<Record<string, string>> = {
  "fetch/new": "#0072B2",
  "fetch/shared": "#56B4E9",
  "raw/new": "#D55E00",
  "raw/shared": "#E69F00",
  "epoll/new": "#117733",
  "epoll/shared": "#44AA99",
  // Over plain connections a client keeps its hue, over TLS it has another.
  "plain/fetch": "#0072B2",
  "plain/fetch/new": "#0072B2",
  "plain/fetch/shared": "#56B4E9",
  "plain/raw": "#D55E00",
  "plain/raw/new": "#D55E00",
  "plain/raw/shared": "#E69F00",
  "tls/fetch": "#117733",
  "tls/fetch/new": "#117733",
  "tls/fetch/resumed": "#999933",
  "tls/fetch/shared": "#44AA99",
  "tls/raw": "#AA3377",
  "tls/raw/new": "#AA3377",
  "tls/raw/shared": "#EE99AA",
  // Phases: Tol's muted scheme, so that a part of a request is not taken for a variant.
  "client": "#AA4499",
  "dns": "#999933",
  "connect": "#CC6677",
  "tls": "#882255",
  "send": "#DDCC77",
  "wait": "#332288",
  "receive": "#88CCEE",
};

const OTHERS = ["#009E73", "#CC79A7", "#0072B2", "#D55E00", "#56B4E9", "#E69F00", "#332288", "#666666"];

/** The colours in which plotly draws what no builder has coloured. */
export const COLORWAY: readonly string[] = OTHERS;

/**
 * A colour for each name: always the same one for a variant or a phase that is known, and for others the
 * next colour that is free.
 */
export function colorsOf(names: readonly string[]): string[] {
  const taken = new Set(names.map((name) => KNOWN[name]));
  const free = OTHERS.filter((color) => !taken.has(color));
  let used = 0;
  return names.map((name) => KNOWN[name] ?? free[used++ % free.length]!);
}

/** The colour in which text can be read on a colour: white, or nearly black. */
export function inkOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  return 0.299 * red + 0.587 * green + 0.114 * blue > 150 ? "#222222" : "#FFFFFF";
}
