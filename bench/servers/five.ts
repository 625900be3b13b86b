/** The five middlewares, for frameworks without plugins for them. */
import { hash, randomUUID } from "node:crypto";
import { openSync, writeSync } from "node:fs";

/** Whether this server runs with CORS, request ids, ETags, an access log and `nosniff`. */
export const withFiveMiddlewares: boolean = process.argv.includes("--five");

/** The origin that CORS allows. */
export const ALLOWED_ORIGIN = "https://shop.example";

/** Returns the id that the client sent if its characters are safe, otherwise a new one. */
export const requestIdOf = (sent: string | null | undefined): string =>
  sent !== null && sent !== undefined && /^[\w.:/+=~-]{1,128}$/.test(sent) ? sent : randomUUID();

/** Returns a weak entity tag of a body. */
export const etagOf = (body: string): string =>
  `W/"${body.length.toString(16)}-${hash("sha1", body, "base64").slice(0, 27)}"`;

/** Returns whether the client has the body with this tag. */
export const isFresh = (ifNoneMatch: string | null | undefined, etag: string): boolean =>
  ifNoneMatch !== null && ifNoneMatch !== undefined && (ifNoneMatch === "*" || ifNoneMatch.includes(etag));

/** Destination of access logs: every line is written to /dev/null. */
export const logFile: string = process.env["BENCH_LOG"] ?? "/dev/null";

const sink = withFiveMiddlewares ? openSync(logFile, "a") : -1;

/** Writes text as one line. */
export const writeLog = (text: string): void => {
  writeSync(sink, `${text}\n`);
};

/** Members of an access log line. */
export interface Access {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly status: number;
  readonly requestId: string;
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
}

/** Writes one line of JSON. */
export const logAccess = ({ method, path, status, requestId, since }: Access): void => {
  const latency = (performance.now() - since).toFixed(3);
  const time = new Date().toISOString();
  writeLog(
    `{"timestamp":"${time}","level":"info","method":"${method}","path":${JSON.stringify(path)},` +
      `"status":${status},"latency":${latency},"request_id":"${requestId}"}`,
  );
};
