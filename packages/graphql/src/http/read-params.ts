import type { HttpRequest } from "@framework/core";

/** Returns the body of a POST for graphql-http: JSON that it has parsed already, else the text, which it then refuses. */
export const readBody = async (request: HttpRequest): Promise<unknown> => {
  const text = await request.text();
  try {
    const body: unknown = JSON.parse(text);
    return Array.isArray(body) ? body.map(withAliases) : withAliases(body);
  } catch {
    return text; // reported as "Unparsable JSON body"
  }
};

/** Accepts `operation_name`, and a `documentId` in place of the query. */
const withAliases = (body: unknown): unknown => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const {
    query,
    operationName,
    operation_name: alias,
    documentId,
    extensions,
  } = body as Readonly<Record<string, unknown>>;
  const named = operationName === undefined && alias !== undefined ? { ...body, operationName: alias } : body;
  if (query !== undefined && query !== null) return named;
  if (typeof documentId === "string")
    return { ...named, query: "", extensions: { ...(extensions as object), documentId } };
  return hasHash(extensions) ? { ...named, query: "" } : named;
};

const hasHash = (extensions: unknown): boolean =>
  typeof extensions === "object" && extensions !== null && "persistedQuery" in extensions;

/** The URL of a GET, with a `documentId` where graphql-http passes it on. */
export const placedQuery = (url: string): string => {
  if (!url.includes("documentId=") && !url.includes("persistedQuery")) return url;
  const [path = "", search = ""] = url.split("?");
  const parameters = new URLSearchParams(search);
  const id = parameters.get("documentId");
  if (!parameters.has("query")) parameters.set("query", "");
  if (id !== null) parameters.set("extensions", JSON.stringify({ documentId: id }));
  return `${path}?${parameters.toString()}`;
};
