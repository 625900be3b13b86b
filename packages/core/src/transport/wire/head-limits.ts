import type { LimitsConfig } from "../../config/limits-config.ts";
import { HttpError } from "../../errors/http-error.ts";
import { isToken } from "../../http/token.ts";

/** Creates the error for fields beyond the limit. @param name name of the largest field; empty if it has no valid name */
export const fieldsTooLong = ({ maxHeaderBytes }: LimitsConfig, name: string): HttpError => {
  const largest = isToken(name) ? `; the largest is ${name.toLowerCase()}` : "";
  return new HttpError(431, `The header fields are longer than ${maxHeaderBytes} bytes${largest}`);
};

/** Creates the error for a request line beyond the limit. */
export const lineTooLong = ({ maxRequestLine }: LimitsConfig): HttpError =>
  new HttpError(414, `The request line is longer than ${maxRequestLine} bytes`);
