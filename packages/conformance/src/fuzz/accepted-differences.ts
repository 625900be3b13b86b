import type { RequestSource } from "@framework/core/feature";
import { parseReplies, type RawReply } from "../harness/raw-client.ts";

/** Outcome of one connection's traffic on one transport. */
export interface Outcome {
  /** One character per byte. */
  readonly received: string;
  readonly closed: boolean;
  readonly reset: boolean;
  /** Requests that the app saw. */
  readonly served: readonly RequestSource[];
}

/** A permitted difference between two outcomes of the same bytes, with the reason. */
export interface AcceptedDifference {
  readonly name: string;
  readonly reason: string;
  explains(one: Outcome, other: Outcome, bytes: string): boolean;
}

/** Whether both outcomes have the same bytes, except the date, and the same end of the connection. */
export const isAlike = (one: Outcome, other: Outcome): boolean =>
  receivedText(one) === receivedText(other) && one.closed === other.closed && one.reset === other.reset;

/** Returns the bytes without the date, with the fields that node:http sometimes writes itself in a fixed order and case. */
export const receivedText = ({ received }: Outcome): string =>
  received
    .replaceAll(/\r\ndate: [^\r]*/gi, "\r\ndate: …")
    .replaceAll("\r\nConnection: ", "\r\nconnection: ")
    .replaceAll(
      /\r\ndate: …\r\nconnection: keep-alive\r\nContent-Length: (\d+)\r\n\r\n/g,
      "\r\ncontent-length: $1\r\ndate: …\r\nconnection: keep-alive\r\n\r\n",
    );

const REFUSED =
  /HTTP\/1\.1 (?:400 (?:(?!HTTP\/1)[^])*"The request line is malformed"|501 (?:(?!HTTP\/1)[^])*"The method is not supported"),"status":\d+\}$/;
const withoutRefusal = (outcome: Outcome): string => receivedText(outcome).replace(REFUSED, "400 or 501");

const withoutInterim = (outcome: Outcome): string =>
  receivedText(outcome).replaceAll("HTTP/1.1 100 Continue\r\n\r\n", "");

const finals = ({ received, closed, served }: Outcome): RawReply[] =>
  parseReplies(
    received,
    closed,
    served.map(({ method }) => method),
  ).filter(({ status }) => status >= 200);
const withoutConnection = ({ status, fields, body }: RawReply | undefined = noReply): string =>
  JSON.stringify([status, body, [...fields].filter(([name]) => name !== "connection" && name !== "date")]);
const noReply: RawReply = {
  version: "",
  status: 0,
  reason: "",
  fields: new Map(),
  body: "",
  complete: false,
  missing: 0,
};
const connectionField = (reply: RawReply | undefined): string =>
  reply?.fields.get("connection")?.toLowerCase() ?? "";

/** Whether the connection continues only if the end of the request's unread body has arrived. */
const mayContinue = (request: RequestSource | undefined): boolean =>
  request?.bodyLength === null || request?.field("expect")?.toLowerCase() === "100-continue";

/** Every permitted difference. */
export const acceptedDifferences: readonly AcceptedDifference[] = [
  {
    name: "400 or 501",
    reason:
      "after a body or empty lines node:http does not report where in a read a message began, so it cannot distinguish an unknown method from a malformed one; both transports refuse it and close",
    explains: (one, other) => one.closed && other.closed && withoutRefusal(one) === withoutRefusal(other),
  },
  {
    name: "unread body",
    reason:
      "the end of an unread body that is chunked, or that waits for 100 Continue, may arrive before or after its reply is sent; the connection continues only in the first case, otherwise it is closed and serves nothing more",
    explains(one, other) {
      const [left, right] = [finals(one), finals(other)];
      const at = left.findIndex((reply, index) => connectionField(reply) !== connectionField(right[index]));
      if (at === -1 || right[at] === undefined) return false;
      const same = left
        .slice(0, at + 1)
        .every((reply, index) => withoutConnection(reply) === withoutConnection(right[index]));
      const [ended, replies] = connectionField(left[at]) === "close" ? [one, left] : [other, right];
      const isLast = replies.length === at + 1 && ended.served.length === at + 1 && ended.closed;
      return same && isLast && [one, other].every(({ served }) => mayContinue(served[at]));
    },
  },
  {
    name: "100 to a client that did not wait",
    reason:
      "a transport may detect a malformed body that arrived with its head before or after the app begins to read it: 100 Continue may be omitted once a part of the body has arrived (RFC 9110 10.1.1), and the final replies are the same",
    explains: (one, other) =>
      one.closed === other.closed &&
      one.reset === other.reset &&
      withoutInterim(one) === withoutInterim(other),
  },
  {
    name: "a long unread remainder",
    reason:
      "the system's buffers determine how many of more than 60,000 bytes arrive after the last reply, and so whether they exceed the limit and the connection is reset",
    explains: (one, other, bytes) => (one.reset || other.reset) && bytes.length > 60_000,
  },
];

/** Returns the accepted difference that explains two outcomes; `null` when there is none. */
export const acceptedDifference = (one: Outcome, other: Outcome, bytes: string): AcceptedDifference | null =>
  acceptedDifferences.find((difference) => difference.explains(one, other, bytes)) ?? null;
