/** The reason phrases of what a proxy answers itself: RFC 9110 §15, RFC 6585 §5. */
export const STATUS_TEXT: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
};
