import type { HttpError } from "./http-error.ts";

/** Whether an error of the status 501 to 599 has a message that clients do not see, such as the address of a called service. It is only logged. */
export const hidesReason = ({ status, detail, message }: HttpError): boolean =>
  status > 500 && detail !== message;
