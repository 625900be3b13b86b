import { reasonPhrase } from "../http/reason-phrase.ts";
import type { ImpliedReply } from "../insight/implied-reply.ts";
import type { RouteInfo } from "../routes/route.ts";

/**
 * Returns the replies that core implies for a route: its own, those of the route's authentications, and the statuses of the option `errors`. The 405 for another
 * method is not listed: it belongs to an operation that does not exist.
 */
export const coreReplies = (route: RouteInfo, handlerSecs: number): readonly ImpliedReply[] => {
  const { options, path, auth } = route;
  const hasGuards = isGuarded(route);
  return [
    malformed,
    ...(auth.length > 0 || hasGuards ? [unauthorized] : []),
    ...(hasGuards ? [forbidden] : []),
    ...auth.flatMap(({ replies = [] }) => replies),
    ...(path.includes("{") ? [notFound] : []),
    ...(takesBody(route) ? [tooLarge, unsupportedType] : []),
    ...((options.params ?? options.query ?? options.body) === undefined ? [] : [invalid]),
    ...((options.timeoutSecs ?? handlerSecs) > 0 ? [...(takesBody(route) ? [slowBody] : []), timedOut] : []),
    ...(options.errors ?? []).map(declaredReply),
  ];
};

const malformed: ImpliedReply = { status: 400, description: "The request is malformed." };
const unauthorized: ImpliedReply = {
  status: 401,
  description: "Credentials are missing, wrong or expired.",
  headers: {
    "WWW-Authenticate": { description: "How to authenticate (RFC 9110 11.6.1).", type: "string" },
  },
};
const forbidden: ImpliedReply = { status: 403, description: "The caller may not do this." };
const notFound: ImpliedReply = { status: 404, description: "There is no such resource.", byHandler: true };
const tooLarge: ImpliedReply = { status: 413, description: "The body is larger than the limit." };
const unsupportedType: ImpliedReply = {
  status: 415,
  description: "The body has an unsupported type or coding.",
};
const invalid: ImpliedReply = {
  status: 422,
  description: "The input does not match its schema; `errors` lists every place.",
};
const slowBody: ImpliedReply = { status: 408, description: "The body took too long to arrive." };
const timedOut: ImpliedReply = { status: 504, description: "The handler timed out." };

const repliesByStatus: ReadonlyMap<number, ImpliedReply> = new Map(
  [
    malformed,
    unauthorized,
    forbidden,
    notFound,
    slowBody,
    tooLarge,
    unsupportedType,
    { status: 422, description: "The input is invalid." },
    timedOut,
  ].map((reply) => [reply.status, reply]),
);

/** The reply for a status of the option `errors`. */
const declaredReply = (status: number): ImpliedReply =>
  repliesByStatus.get(status) ?? { status, description: `${reasonPhrase(status)}.` };

const isGuarded = ({ guards, options }: RouteInfo): boolean =>
  guards.length > 0 || (options.guards ?? []).length > 0;

/** Methods that usually have a body, even without a schema. */
const bodyMethods: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "QUERY"]);

const takesBody = ({ method, options }: RouteInfo): boolean =>
  options.body !== undefined || bodyMethods.has(method);
