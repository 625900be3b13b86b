import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { gunzipSync } from "node:zlib";
import type { TestReply } from "@framework/testing";
import { type RowResult, idOf } from "./send-rows.test-kit.ts";
import type { EnabledFeatures, Row } from "./row.test-kit.ts";
import type { Stack } from "./stack.test-kit.ts";
import { pageOrigin, type ToggleName } from "./toggles.test-kit.ts";

type Facts = Readonly<Record<string, unknown>>;

/** Compares every reply with the requirements of the enabled features; reports the first three differences. */
export const checkReplies = (results: readonly RowResult[], { enabled }: Stack): void => {
  const pairs = results.map((result) => ({
    actual: { ...actualOf(result, enabled), ...fieldsOfOriginal(result, results) },
    expected: { ...expectedOf(result, enabled), ...fieldsOfOriginal(result, results, true) },
  }));
  const wrong = pairs.filter(({ actual, expected }) => !isDeepStrictEqual(actual, expected)).slice(0, 3);
  assert.deepEqual(
    wrong.map(({ actual }) => actual),
    wrong.map(({ expected }) => expected),
  );
};

const actualOf = ({ row, reply, sentTag, calls }: RowResult, enabled: EnabledFeatures): Facts => {
  const { status, headers } = reply;
  const field = (name: string): string | null => headers.get(name);
  const varyNames = (field("vary") ?? "").toLowerCase().split(/, */);
  return {
    row: row.name,
    status,
    error: isError(row, reply) ? errorOf(reply) : null,
    cors: ["allow-origin", "allow-credentials", "expose-headers"].map((name) =>
      field(`access-control-${name}`),
    ),
    id: field("x-request-id"),
    security: ["x-content-type-options", "x-frame-options"].map(field),
    vary: expectedVary(row, reply, enabled).filter((name) => varyNames.includes(name)),
    coding: field("content-encoding"),
    text: row.text !== undefined && status === 200 && !isHead(row) ? decoded(reply) : null,
    hasCorrectLength: hasCorrectLength(row, reply),
    tag: status === 304 && sentTag !== null ? field("etag") : tagKind(reply),
    cache: field("x-cache"),
    isLimited: ["ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining"].map(
      headers.has,
      headers,
    ),
    internal: enabled.has("cache") ? field("x-cache-tags") : null,
    calls: row.calls === undefined ? null : calls,
  };
};

const expectedOf = ({ row, reply, sentTag }: RowResult, enabled: EnabledFeatures): Facts => {
  const status = row.status(enabled);
  const isPreflight = row.isPreflight === true;
  const exposed = ["X-Request-ID", ...exposedBy(enabled)];
  const cors = [pageOrigin, "true", isPreflight ? null : exposed.join(", ")];
  const outcome = typeof row.cache === "function" ? row.cache(enabled) : row.cache;
  const isLimited = enabled.has("rateLimit") && !(isPreflight && enabled.has("cors"));
  return {
    row: row.name,
    status,
    error: isError(row, reply) ? { status, type: "application/json", hasMessage: true } : null,
    cors: enabled.has("cors") ? cors : [null, null, null],
    id: enabled.has("requestId") ? idOf(row) : null,
    security: enabled.has("securityHeaders") ? ["nosniff", "DENY"] : [null, null],
    vary: expectedVary(row, reply, enabled),
    coding: isCompressed(row, status, enabled) ? "gzip" : null,
    text: status === 200 && !isHead(row) ? (row.text ?? null) : null,
    hasCorrectLength: true,
    tag: status === 304 && sentTag !== null ? sentTag : expectedTag(row, reply, enabled),
    cache: enabled.has("cache") ? (outcome ?? null) : null,
    isLimited: Array.from({ length: 4 }, () => isLimited),
    internal: null,
    calls: row.calls?.(enabled) ?? null,
  };
};

/** Returns the fields that pages of other origins may read, in addition to the configured one. */
const exposedBy = (enabled: EnabledFeatures): readonly string[] => {
  const fields: Partial<Record<ToggleName, readonly string[]>> = {
    cache: ["Age", "Cache-Status", "ETag", "X-Cache"],
    etag: ["ETag"],
    rateLimit: ["RateLimit", "RateLimit-Policy", "Retry-After", ...quotaNames],
    breaker: ["Retry-After"],
    commands: ["Idempotent-Replayed", "Retry-After", "Consistency-Token"],
  };
  return [...new Set([...enabled].flatMap((name) => fields[name] ?? []))].toSorted();
};

const quotaNames = ["Limit", "Remaining", "Reset"].map((name) => `X-RateLimit-${name}`);

const isHead = ({ method }: Row): boolean => method === "HEAD";
const isError = (row: Row, { status }: TestReply): boolean => status >= 400 && !isHead(row);
const isStream = ({ path }: Row): boolean => path === "/stream";
const isCompressed = ({ isCompressed = false }: Row, status: number, enabled: EnabledFeatures): boolean =>
  isCompressed && status === 200 && enabled.has("compression");

const errorOf = (reply: TestReply): Facts => {
  const { error, detail, status } = JSON.parse(decoded(reply)) as Facts;
  const hasMessage = [error, detail].every((text) => typeof text === "string" && text !== "");
  return { status, type: reply.headers.get("content-type"), hasMessage };
};

const decoded = ({ headers, bytes, text }: TestReply): string =>
  headers.get("content-encoding") === "gzip" ? gunzipSync(bytes).toString() : text;

/** Returns the request fields that the reply must name in Vary. */
const expectedVary = (
  { isPreflight = false }: Row,
  { status, headers }: TestReply,
  enabled: EnabledFeatures,
): string[] => {
  const isTextual = /^text|json/.test(headers.get("content-type") ?? "") || status === 304;
  return [
    ...(enabled.has("cors") ? ["origin"] : []),
    ...(enabled.has("cors") && isPreflight ? ["access-control-request-method"] : []),
    ...(enabled.has("compression") && isTextual ? ["accept-encoding"] : []),
  ];
};

/** Returns whether Content-Length equals the length of the body. `fieldsOfOriginal` compares HEAD with its GET. */
const hasCorrectLength = (row: Row, { status, headers, bytes }: TestReply): boolean => {
  const length = headers.get("content-length");
  if (status === 204 || status === 304) return bytes.length === 0 && (length === null || length === "0");
  if (isHead(row)) return bytes.length === 0;
  return isStream(row) ? length === null : length === String(bytes.length);
};

/** Returns `fits`, unless a compressed reply has the strong tag of the plain body (RFC 9110 8.8.3.3): the tag must name the coding. */
const tagKind = ({ headers }: TestReply): string | null => {
  const tag = headers.get("etag");
  if (tag === null) return null;
  const coding = headers.get("content-encoding");
  const isOfBytes = coding === null || tag.startsWith("W/") || tag.endsWith(`--${coding}"`);
  return isOfBytes ? "fits" : "strong, but compressed";
};

const expectedTag = (row: Row, reply: TestReply, enabled: EnabledFeatures): string | null => {
  const { status, headers } = reply;
  const isTagged = enabled.has("etag") && status !== 204 && !isStream(row) && status !== 406;
  const isOwn = headers.has("last-modified"); // a file with a date has its own tag
  const isStored = ["HIT", "MISS"].includes(headers.get("x-cache") ?? "") && status === 200 && !isStream(row); // the cache adds a tag of the content
  return isTagged || isOwn || isStored ? "fits" : null;
};

/** Fields that HEAD must have in common with GET, and a 304 with its 200 (RFC 9110 9.3.2, 15.4.5); HEAD may omit the length. */
const fieldsOfOriginal = (
  { row, reply }: RowResult,
  results: readonly RowResult[],
  isExpected = false,
): Facts => {
  const name = row.like ?? (reply.status === 304 ? row.sendsTagOf : undefined);
  const original = results.find((other) => other.row.name === name);
  if (original === undefined) return {};
  const { headers } = isExpected ? original.reply : reply;
  const valuesOfBoth = ["etag", "vary", "cache-control", "last-modified"].map((name) => headers.get(name));
  if (row.like === undefined) return { like: valuesOfBoth };
  const valuesOfHead = ["content-type", "content-encoding", "accept-ranges"].map((name) => headers.get(name));
  const length = reply.headers.has("content-length") ? headers.get("content-length") : null;
  return { like: [...valuesOfBoth, ...valuesOfHead, length] };
};
