import type { AppSettings } from "../lifecycle/app-settings.ts";
import { Response } from "../response/response.ts";
import { namesType } from "../http/accept.ts";
import { HttpError } from "../errors/http-error.ts";
import { DEFAULT_CHALLENGE } from "../errors/http-errors.ts";
import { reasonPhrase } from "../http/reason-phrase.ts";
import { memberOf, messageOf, textOf } from "../log/value-text.ts";
import { addVary } from "../response/vary.ts";

/** The values of a request that an error reply depends on; `null` where they are absent or could not be read. */
export interface RefusedRequest {
  readonly path: string | null;
  readonly accept: string | null;
}

/** Text of every unexpected error, except with `debug` outside production. */
export const UNEXPECTED = "An unexpected error occurred";

/**
 * Creates the framework's reply to an error: `{ error, detail, status, ...extras }`.
 *
 * It varies by `Accept`: a client whose `Accept` names `application/problem+json` itself gets the same body with `type`, `title` and `instance` (RFC 9457).
 * Messages and stacks of unexpected errors are shown only with `debug` outside production.
 */
export const errorReply = (
  error: Error,
  request: RefusedRequest,
  settings: Pick<AppSettings, "debug" | "env">,
): Response => {
  const status = HttpError.is(error) ? error.status : 500;
  const body = HttpError.is(error) ? knownBody(error, settings) : unexpectedBody(error, settings);
  const reply = namesType(request.accept, "application/problem+json")
    ? Response.problem({
        ...body,
        type: `/errors/${kindOf(body.error)}`,
        title: body.error,
        ...(request.path === null ? {} : { instance: request.path }),
      })
    : Response.json(body, { status });
  addErrorFields(error, reply);
  addVary(reply.headers, "Accept");
  return reply;
};

/** Adds the header fields of an error, such as `Allow` and `Retry-After`, that a reply with its status lacks. */
export const addErrorFields = (error: Error, reply: Response): void => {
  if (!HttpError.is(error) || reply.status !== error.status) return;
  const { headers } = reply;
  for (const [name, value] of Object.entries(error.headers)) if (!headers.has(name)) headers.set(name, value);
  if (error.status === 401 && !headers.has("www-authenticate"))
    headers.set("www-authenticate", DEFAULT_CHALLENGE); // required by RFC 9110 15.5.2
};

interface ErrorBody {
  readonly error: string;
  readonly detail: string;
  readonly status: number;
  readonly [extra: string]: unknown;
}

const showsInternals = ({ debug, env }: Pick<AppSettings, "debug" | "env">): boolean =>
  debug && env !== "production";

const knownBody = (error: HttpError, settings: Pick<AppSettings, "debug" | "env">): ErrorBody => {
  const hidden = error.status === 500 && !showsInternals(settings);
  const members = { error: error.error, detail: hidden ? UNEXPECTED : error.detail, status: error.status };
  if (hidden) return members;
  return { ...members, ...error.extras, ...members }; // spread first for the order, and last so that extras cannot replace the three members
};

const unexpectedBody = (error: Error, settings: Pick<AppSettings, "debug" | "env">): ErrorBody => {
  const body = { error: reasonPhrase(500), detail: UNEXPECTED, status: 500 };
  if (!showsInternals(settings)) return body;
  const stack = textOf(memberOf(error, "stack") ?? "")
    .split("\n")
    .map((line) => line.trim());
  return {
    ...body,
    detail: messageOf(error) || UNEXPECTED,
    exception: textOf(memberOf(error, "name")),
    stack,
  };
};

const kindOf = (phrase: string): string => phrase.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
