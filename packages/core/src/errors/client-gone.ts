import { HttpError } from "./http-error.ts";

/** For whoever works on a request whose client left: nobody gets the reply. */
export const clientGone = (): HttpError =>
  new HttpError(400, "The client closed the connection before the exchange was complete", {
    code: "CORE_CLIENT_GONE",
  });
