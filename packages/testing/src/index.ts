// For tests of applications.
export { clientFor, socketClient, testClient, type AppClientOptions } from "./test-client.ts";
export type { AppUnderTest, ServeOptions } from "./app-under-test.ts";
export type { LogLine } from "./collected-logs.ts";
export type { SendRequest, ClientOptions, TestClient } from "./client.ts";
export type { Fields, FieldValue, FormFields, TestInit } from "./request-init.ts";
export type { TestReply } from "./test-reply.ts";
export type { SetCookie } from "./set-cookie.ts";
export { type ClientFacts, eachClient } from "./each-client.ts";
export { type ContractOptions, type ContractReport, contractTest } from "./contract/contract-test.ts";
export { type ExplainedCall, type ExplainedRequest, explainRequests } from "./explain-requests.ts";
export { startProgram, type ProgramOptions } from "./start-program.ts";
export type { Program, ProgramExit } from "./program.ts";
export { requestEveryWorker, type RequestEveryWorkerOptions } from "./request-every-worker.ts";
export { type Truthy, waitFor, type WaitOptions } from "./wait-for.ts";
export { virtualClock, type VirtualClock } from "@framework/core/testing";
export { seededRandom } from "./seeded-random.ts";

export { type TestingErrorCode, testingErrors } from "./error-codes.ts";
