import type { Operation } from "../operation/operation.ts";
import type { HttpRequest } from "./http-request.ts";

/** Narrows an operation to the HTTP request that it is: for factories and guards that need cookies, the path or the client's address. */
export const isHttpRequest = (operation: Operation): operation is HttpRequest => operation.kind === "http";
