import type { HttpError } from "./http-error.ts";

/** Whether an error with a status from 501 to 599 has a message that is only logged and hidden from clients, such as the address of a called service. */
export const hidesReason = ({ status, detail, message }: HttpError): boolean =>
  status > 500 && detail !== message;
