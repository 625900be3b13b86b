export { withRequestId } from "./outgoing.ts";
export { requestId, RequestIdConfig, type RequestIds } from "./request-id.ts";
