import { plainType } from "@framework/core/http";
import { type AppUnderTest, toAppSettings } from "../app-under-test.ts";
import { checkArguments, headerFields, type Rule, wholeNumber } from "../check-arguments.ts";
import { reasonOf, testingError } from "../errors.ts";
import { caseArbitrary, type ContractCase } from "./contract-case.ts";
import { type ContractOperation, readDocument } from "./contract-document.ts";
import { replyViolation } from "./reply-violation.ts";
import { refusedList } from "./refused-list.ts";
import { loadPeers } from "./peers.ts";
import { schemaValidator, type SchemaValidator } from "./schema-validator.ts";

/** Options of a contract test. */
export interface ContractOptions {
  /** The OpenAPI 3.1 document, parsed. @default the app's reply at `/openapi.json` */
  readonly document?: unknown;
  /** Requests for each operation. @default 100 */
  readonly runs?: number;
  /** Seed of the generated requests: the same seed generates the same requests. @default 1 */
  readonly seed?: number;
  /** Header fields of every request, such as credentials. @default none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Counts of a passed contract test. */
export interface ContractReport {
  /** Number of operations that were tested. */
  readonly operations: number;
  /** Number of requests that were sent. */
  readonly requests: number;
  /** Operations, such as `POST /books`, with only replies of status 400 or more: no successful reply was compared with the document. */
  readonly refused: readonly string[];
}

/**
 * Tests an app against its OpenAPI document. Every operation gets valid and invalid requests generated from its schemas, and every reply must match the
 * document in status, content type and schema. Safe methods come first.
 *
 * Needs fast-check and ajv. Starts the app with test settings unless it is running, and leaves it running: call `app.stop()` afterwards.
 *
 * @throws TESTING_CONTRACT_BROKEN with the simplest failing request of each operation; TESTING_MISSING_PACKAGE; TESTING_BAD_OPTION
 */
export const contractTest = async (
  app: Pick<AppUnderTest, "start" | "fetch">,
  options: ContractOptions = {},
): Promise<ContractReport> => {
  checkArguments("contractTest", options, rules);
  const { runs = 100, seed = 1, headers = {} } = options;
  const { fc, Ajv } = await loadPeers();
  await app.start(toAppSettings({}));
  const given = options.document ?? (await documentOf(app, headers));
  const document = readDocument(given);
  const validate = schemaValidator(Ajv, given);
  const problems: string[] = [];
  const refused: string[] = [];
  let requests = 0;
  for (const operation of document.operations) {
    const context = { fc, resolve: document.resolve, depth: 4 };
    let accepted = 0;
    const property = fc.asyncProperty(caseArbitrary(operation, context), async (tried) => {
      requests++;
      const { status, problem } = await outcomeOf(app, operation, tried, headers, validate);
      if (status < 400) accepted++;
      if (problem !== null) throw new Error(problem);
    });
    const { failed, errorInstance } = await fc.check(property, { numRuns: runs, seed });
    if (accepted === 0) refused.push(`${operation.method} ${operation.path}`);
    if (failed) problems.push(`${operation.method} ${operation.path} ${reasonOf(errorInstance)}`);
  }
  if (problems.length === 0) return { operations: document.operations.length, requests, refused };
  throw testingError(
    "TESTING_CONTRACT_BROKEN",
    `${problems.length} of ${document.operations.length} operations deviate from the document (seed ${seed}):\n\n${problems.join("\n\n")}`,
  );
};

const rules: Readonly<Record<keyof ContractOptions, Rule>> = {
  document: () => null, // checked when it is read
  runs: wholeNumber(1),
  seed: wholeNumber(Number.MIN_SAFE_INTEGER),
  headers: headerFields,
};

/** Any origin works: requests go to `app.fetch`. */
const ORIGIN = "http://contract.test";

const documentOf = async (
  app: Pick<AppUnderTest, "fetch">,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> => {
  const reply = await app.fetch(new Request(`${ORIGIN}/openapi.json`, { headers }));
  if (reply.ok) return reply.json();
  const message = `the app answers ${reply.status} at /openapi.json; give contractTest the document`;
  throw testingError("TESTING_BAD_OPTION", message);
};

const outcomeOf = async (
  app: Pick<AppUnderTest, "fetch">,
  operation: ContractOperation,
  tried: ContractCase,
  headers: Readonly<Record<string, string>>,
  validate: SchemaValidator,
): Promise<{ readonly status: number; readonly problem: string | null }> => {
  const target = targetOf(operation.path, tried);
  const request = requestOf(operation.method, target, tried, headers);
  const reply = await app.fetch(request);
  const { status } = reply;
  const type = reply.headers.get("content-type");
  const text = await textOf(reply, type);
  const violation =
    replyViolation(operation, status, type, text, validate) ?? refusedList(operation, status, text);
  if (violation === null) return { status, problem: null };
  const fields = tried.headers.map(([name, value]) => `\n  headers: ${name}: ${shortened(value)}`).join("");
  const sent =
    tried.body === null ? "" : `\n  body: ${tried.body.type ?? "no type"}: ${shortened(tried.body.text)}`;
  const problem = `${violation}\n  request: ${operation.method} ${target}${fields}${sent}\n  reply: ${shortened(text)}`;
  return { status, problem };
};

/** Returns the body; an event stream, which may never end, is not read. */
const textOf = async (reply: Response, type: string | null): Promise<string> => {
  if (type === null || plainType(type) !== "text/event-stream") return reply.text();
  void reply.body?.cancel().catch(() => {}); // not awaited: the app may wait forever for its next event
  return "";
};

const targetOf = (path: string, { params, query }: ContractCase): string => {
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`;
};

const requestOf = (
  method: string,
  target: string,
  { body, headers: generated }: ContractCase,
  fields: Readonly<Record<string, string>>,
): Request => {
  const headers = new Headers(generated.map(([name, value]) => [name, value]));
  for (const [name, value] of new Headers(fields)) headers.set(name, value);
  if (body !== null && body.type !== null) headers.set("content-type", body.type);
  // As bytes: a text body would set a content type.
  return new Request(`${ORIGIN}${target}`, {
    method,
    headers,
    body: body === null ? null : new TextEncoder().encode(body.text),
  });
};

const shortened = (text: string): string => (text.length <= 300 ? text : `${text.slice(0, 300)}…`);
