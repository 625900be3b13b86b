import { type AppUnderTest, toAppSettings } from "../app-under-test.ts";
import { testingError } from "../errors.ts";
import { caseArbitrary, type ContractCase } from "./contract-case.ts";
import { type ContractDocument, type ContractOperation, readDocument } from "./contract-document.ts";
import { replyViolation } from "./reply-violation.ts";
import type { FastCheck } from "./schema-arbitrary.ts";

/** How a contract is tested. */
export interface ContractOptions {
  /** The OpenAPI 3.1 document, parsed. @default what the app answers at `/openapi.json` */
  readonly document?: unknown;
  /** Requests for each operation. @default 100 */
  readonly runs?: number;
  /** Where the requests come from: the same for the same seed. @default 1 */
  readonly seed?: number;
  /** Header fields of every request, such as credentials. @default none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What was tested. */
export interface ContractReport {
  readonly operations: number;
  readonly requests: number;
}

/**
 * Compares an app with its OpenAPI document: every operation gets requests made of its schemas, fitting ones and ones with a fault, and every reply must be one
 * that the document lists, with the content type and the schema that it says. Safe methods come first.
 *
 * It needs fast-check. The app is started with settings for tests, unless it runs already, and left running.
 *
 * @throws TESTING_CONTRACT_BROKEN with the simplest request found for each operation that answers otherwise; TESTING_NEEDS_FAST_CHECK; TESTING_BAD_OPTION
 */
export const contractTest = async (
  app: Pick<AppUnderTest, "start" | "fetch">,
  options: ContractOptions = {},
): Promise<ContractReport> => {
  const { runs = 100, seed = 1, headers = {} } = options;
  const fc = await loadFastCheck();
  await app.start(toAppSettings({}));
  const document = readDocument(options.document ?? (await documentOf(app, headers)));
  const problems: string[] = [];
  let requests = 0;
  for (const operation of document.operations) {
    const making = { fc, resolve: document.resolve, depth: 4 };
    const property = fc.asyncProperty(caseArbitrary(operation, making), async (tried) => {
      requests++;
      const problem = await problemOf(app, operation, tried, headers, document);
      if (problem !== null) throw new Error(problem);
    });
    const { failed, errorInstance } = await fc.check(property, { numRuns: runs, seed });
    if (failed) problems.push(`${operation.method} ${operation.path} ${messageOf(errorInstance)}`);
  }
  if (problems.length === 0) return { operations: document.operations.length, requests };
  throw testingError(
    "TESTING_CONTRACT_BROKEN",
    `${problems.length} of ${document.operations.length} operations answer what their document does not say (seed ${seed}):\n\n${problems.join("\n\n")}`,
  );
};

const loadFastCheck = async (): Promise<FastCheck> => {
  try {
    return (await import("fast-check")).default;
  } catch (error) {
    const message = "contractTest makes its requests with fast-check: npm install --save-dev fast-check";
    throw testingError("TESTING_NEEDS_FAST_CHECK", message, error);
  }
};

const messageOf = (error: unknown): string => (Error.isError(error) ? error.message : String(error));

/** Any authority will do: nothing is sent over a network. */
const origin = "http://contract.test";

const documentOf = async (
  app: Pick<AppUnderTest, "fetch">,
  headers: Readonly<Record<string, string>>,
): Promise<unknown> => {
  const reply = await app.fetch(new Request(`${origin}/openapi.json`, { headers }));
  if (reply.ok) return reply.json();
  const message = `the app answers ${reply.status} at /openapi.json; give contractTest the document`;
  throw testingError("TESTING_BAD_OPTION", message);
};

const problemOf = async (
  app: Pick<AppUnderTest, "fetch">,
  operation: ContractOperation,
  tried: ContractCase,
  headers: Readonly<Record<string, string>>,
  document: ContractDocument,
): Promise<string | null> => {
  const target = targetOf(operation.path, tried);
  const request = requestOf(operation.method, target, tried, headers);
  const reply = await app.fetch(request);
  const text = await reply.text();
  const violation = replyViolation(
    operation,
    reply.status,
    reply.headers.get("content-type"),
    text,
    document,
  );
  if (violation === null) return null;
  const sent =
    tried.body === null ? "" : `\n  body: ${tried.body.type ?? "no type"}: ${shortened(tried.body.text)}`;
  return `${violation}\n  request: ${operation.method} ${target}${sent}\n  reply: ${shortened(text)}`;
};

const targetOf = (path: string, { params, query }: ContractCase): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
  return search.size === 0 ? filled : `${filled}?${search.toString()}`;
};

const requestOf = (
  method: string,
  target: string,
  { body }: ContractCase,
  fields: Readonly<Record<string, string>>,
): Request => {
  const headers = new Headers(fields);
  if (body !== null && body.type !== null) headers.set("content-type", body.type);
  // As bytes: text would bring a content type of its own.
  return new Request(`${origin}${target}`, {
    method,
    headers,
    body: body === null ? null : new TextEncoder().encode(body.text),
  });
};

const shortened = (text: string): string => (text.length <= 300 ? text : `${text.slice(0, 300)}…`);
