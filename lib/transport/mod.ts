/**
 * One client connection: TCP behind an interface, HTTP/1.1 framing, one exchange with its phases, and the
 * clients that experiments compare. What the network does wrong is a value; misuse is thrown.
 *
 * @module
 */
export { classify, describe } from "./classify.ts";
export {
  type Client,
  CLIENT_VARIANTS,
  type ClientOptions,
  type ClientVariant,
  type Exchange,
  type RequestOptions,
  type Target,
} from "./client.ts";
export type { Connection } from "./connection.ts";
export { type Answer, type EncodedRequest, exchange, type ExchangeTools } from "./exchange.ts";
export { encodeRequest, type Method, type RequestHead } from "./http1_request.ts";
export { ResponseParser, type ResponseParserOptions, type ResponseState } from "./http1_response.ts";
export { openClient } from "./open_client.ts";
export { connectTcp, type ConnectTcpOptions } from "./tcp.ts";
