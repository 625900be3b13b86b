// For authors of transports: the suites that every transport must pass.
export { rfc9112Suite } from "./rfc9112/suite.ts";
export { transportConformance } from "./suite/transport-conformance.ts";
export {
  type ClientReply,
  type ClientRequest,
  type ConnectExchangeClient,
  type ExchangeClient,
  type OpenRequest,
  overHttp2,
} from "./exchanges/exchange-client.ts";
export { exchangeConformance } from "./exchanges/exchange-conformance.ts";
export { randomExchanges } from "./exchanges/random-exchanges.ts";
export type { Test } from "./harness/test.ts";
// For a transport's own tests: a listening transport, its clock and its clients.
export {
  echo,
  eventually,
  hello,
  type MakeTransport,
  type ServerSetup,
  type TestServer,
  turn,
  withServer,
} from "./harness/test-server.ts";
export {
  createExchangeRecorder,
  expectNothingLeft,
  type ExchangeRecorder,
} from "./harness/exchange-recorder.ts";
export {
  connectRaw,
  parseReplies,
  rawClient,
  type RawClient,
  type RawClientOptions,
  type RawReply,
} from "./harness/raw-client.ts";
export { overTls } from "./harness/over-tls.ts";
export { type SelfSigned, selfSigned } from "./harness/self-signed.ts";
