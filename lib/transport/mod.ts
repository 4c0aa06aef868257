/**
 * One client connection: TCP and TLS behind one interface, HTTP/1.1 framing, one exchange with its phases, and the
 * clients that experiments compare. What the network does wrong is a value; misuse is thrown.
 *
 * @module
 */
export {
  issueCertificate,
  type IssuedCertificate,
  type IssueOptions,
  KEY_TYPES,
  type KeyType,
} from "./certificates.ts";
export { classify, describe } from "./classify.ts";
export {
  type Client,
  CLIENT_VARIANTS,
  type ClientOptions,
  type ClientTlsOptions,
  type ClientVariant,
  type Exchange,
  type RequestOptions,
  type Target,
} from "./client.ts";
export type { Connect, Connection } from "./connection.ts";
export { type Answer, type EncodedRequest, exchange, type ExchangeTools } from "./exchange.ts";
export { fetchPhase } from "./fetch_phase.ts";
export { type BodyDataTaker, ChunkedScanner } from "./http1_chunked.ts";
export { encodeRequest, type Method, type RequestHead } from "./http1_request.ts";
export { ResponseParser, type ResponseParserOptions, type ResponseState } from "./http1_response.ts";
export {
  type DelayedAckShare,
  delayedAckShare,
  type LabelFacts,
  type LabelOptions,
  labelsOf,
  synRepetitionsMs,
  waitsForAck,
} from "./labels.ts";
export { MalformedResponse } from "./malformed_response.ts";
export { openClient } from "./open_client.ts";
export {
  AcquireError,
  type AcquireOptions,
  type AcquirePhase,
  type AcquireTimes,
  type Clock,
  type FailedAttempt,
  type Lease,
  type Origin,
  Pool,
  type PoolCounts,
  PooledClient,
  type PooledClientOptions,
  type PooledExchange,
  type PooledRequestOptions,
  type PoolLimits,
  type PoolOptions,
  type Retirement,
  systemClock,
} from "./pool/mod.ts";
export { RepeatedResponse } from "./repeated_response.ts";
export { connectTcp, type ConnectTcpOptions } from "./tcp.ts";
export { connectTls, type ConnectTlsOptions, TlsHandshakeError } from "./tls.ts";
