import type { Invocation } from "../invocation/invocation.ts";
import type { HttpRequest } from "./http-request.ts";

/** Whether an invocation is an HTTP request: for factories and guards that need cookies, the path or the client's address. */
export const isHttpRequest = (invocation: Invocation | undefined): invocation is HttpRequest =>
  invocation?.kind === "http";
