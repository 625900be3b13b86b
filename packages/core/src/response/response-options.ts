import { describeValue } from "../config/wrong-value.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import type { JsonOptions } from "./json/json-text.ts";
import type { RedirectTargetOptions } from "./redirect-target.ts";
import type { HeadersLike } from "./response-headers.ts";
import type { SseOptions } from "./sse.ts";

/** Status and fields of a reply. */
export interface ResponseOptions {
  /** 200 to 599. @default 200 */
  readonly status?: number;
  /** Header fields to add. */
  readonly headers?: HeadersLike;
  /** Media type; overrides the type that the body's kind implies and a `content-type` in `headers`. */
  readonly contentType?: string;
}

/** Options of `Response.json`. */
export interface JsonReplyOptions extends ResponseOptions, JsonOptions {}

/** Options of `Response.xml`. */
export interface XmlReplyOptions extends ResponseOptions {
  /** Name of the root element. @default "root" */
  readonly rootName?: string;
}

/** Options of `Response.redirect`. */
export interface RedirectOptions extends RedirectTargetOptions {
  /** Whether the status is 301 instead of 302. @default false */
  readonly permanent?: boolean;
  /** 301, 302, 303, 307 or 308; overrides `permanent`. */
  readonly status?: number;
}

/** Options of `Response.stream`. */
export interface StreamReplyOptions extends ResponseOptions {
  /** Whether the body ends cleanly when the service starts to drain, for sources that may never end; a drain waits for all other bodies. @default false */
  readonly untilDrain?: boolean;
}

/** Options of `Response.sse`. */
export interface SseReplyOptions extends ResponseOptions, SseOptions {}

/** Members of a problem document (RFC 9457), and extensions. */
export interface ProblemDetails {
  /** URI of the problem type. @default "about:blank" */
  readonly type?: string;
  /** Summary of the problem's kind. @default the status's reason phrase */
  readonly title?: string;
  /** Status of the reply. @default 500 */
  readonly status?: number;
  /** Text about this occurrence. */
  readonly detail?: string;
  /** URI of this occurrence. */
  readonly instance?: string;
  readonly [extension: string]: unknown;
}

/** Creates the error for options that are not an object, such as a status. */
const badOptions = (options: unknown): FrameworkError =>
  new FrameworkError(
    "CORE_BAD_ARGUMENT",
    `reply options must be an object, such as { status: 201 }, not ${describeValue(options)}`,
  );

/** Returns options that are an object. @throws CORE_BAD_ARGUMENT for another value, such as a status or a file name */
export const checkedOptions = <Options extends object>(options: Options): Options => {
  if (typeof options !== "object" || options === null) throw badOptions(options);
  return options;
};

/** Returns a valid status of a reply. @throws CORE_BAD_STATUS for any value but an integer from 200 to 599 */
export const checkedStatus = (status: number): number => {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new FrameworkError(
    "CORE_BAD_STATUS",
    `a reply status must be an integer from 200 to 599, not ${String(status)}`,
  );
};

const redirects = [301, 302, 303, 307, 308];

/** Returns the status of a redirect. @throws CORE_BAD_STATUS for a status that is not a redirect */
export const redirectStatus = ({
  permanent = false,
  status = permanent ? 301 : 302,
}: RedirectOptions): number => {
  if (redirects.includes(status)) return status;
  throw new FrameworkError(
    "CORE_BAD_STATUS",
    `a redirect status must be one of ${redirects.join(", ")}, not ${String(status)}`,
  );
};
