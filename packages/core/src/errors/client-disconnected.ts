import { HttpError } from "./http-error.ts";

/** Creates the error of a request whose client has disconnected; no reply is sent. */
export const clientDisconnected = (): HttpError =>
  new HttpError(400, "The client closed the connection before the exchange was complete", {
    code: "CORE_CLIENT_DISCONNECTED",
  });
