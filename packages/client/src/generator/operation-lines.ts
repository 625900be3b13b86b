import { commentText, inert, objectKey } from "./inert-text.ts";
import { contentsOf, openContent, type ReplyContent, requestContent } from "./media-types.ts";
import { child, isObject, type JsonObject, type OpenapiReader } from "./openapi-reader.ts";
import { operationNames } from "./operation-names.ts";
import { parametersOf } from "./parameters.ts";
import { securityOf } from "./security-schemes.ts";

/** The lines of one operation in the generated module. */
export interface OperationLines {
  readonly comment: string;
  readonly type: string;
  readonly spec: string;
}

const methods = ["get", "head", "post", "put", "patch", "delete", "options", "trace", "x-query"];

/** Returns the lines of all operations, in the order of their paths and methods. */
export const operationLines = (document: OpenapiReader): OperationLines[] => {
  const nameOf = operationNames();
  return Object.entries(child(document.root, "paths"))
    .filter(([path]) => path.startsWith("/"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, value]) => {
      const item = document.resolve(value);
      return methods.flatMap((key) => {
        const operation = Object.hasOwn(item, key) ? item[key] : undefined;
        if (!isObject(operation)) return [];
        const method = key.replace("x-", "").toUpperCase();
        const name = nameOf(operation["operationId"], method.toLowerCase(), path);
        return [linesOf({ name, method, path, item, operation }, document)];
      });
    });
};

interface OperationSource {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

const linesOf = (
  { name, method, path, item, operation }: OperationSource,
  document: OpenapiReader,
): OperationLines => {
  const { parts, styles } = parametersOf(item, operation, path, document);
  const body = document.resolve(operation["requestBody"]);
  const content = requestContent(body, document);
  const replies = repliesOf(method, operation, document);
  const bodyPart = content === null ? [] : [`body${body["required"] === true ? "" : "?"}: ${content.type}`];
  const partTypes = (content?.parts ?? []).map(([field, type]) => `${objectKey(field)}: ${inert(type)}`);
  const fieldStyles = (content?.styles ?? []).map(
    ([field, style]) => `${inert(`body ${field}`)}: ${inert(style)}`,
  );
  const allStyles = [...styles, ...fieldStyles];
  const security = securityOf(operation, document);
  const types = replies.map(({ key, type }) => `${key}: ${type}`);
  const specs = [
    `route: ${inert(`${method} ${path}`)}`,
    `replies: { ${replies.map(({ key, kinds }) => `${key}: [${kinds.map(inert).join(", ")}]`).join(", ")} }`,
    ...(content === null ? [] : [`body: ${inert(content.mediaType)}`]),
    ...(partTypes.length === 0 ? [] : [`parts: { ${partTypes.join(", ")} }`]),
    ...(allStyles.length === 0 ? [] : [`styles: { ${allStyles.join(", ")} }`]),
    ...(security.length === 0 ? [] : [`security: [${security.join(", ")}]`]),
  ];
  const summary = commentText(operation["summary"]);
  const deprecated = operation["deprecated"] === true ? " @deprecated" : "";
  return {
    comment: `/** ${commentText(`${method} ${path}`, 300)}${summary === "" ? "" : `: ${summary.replaceAll("@", "(at)")}`}${deprecated} */`,
    type: `readonly ${objectKey(name)}: Operation<${objectOf([...parts, ...bodyPart])}, ${objectOf(types)}>;`,
    spec: `${objectKey(name)}: { ${specs.join(", ")} },`,
  };
};

const objectOf = (members: readonly string[]): string =>
  members.length === 0 ? "object" : `{ ${members.join("; ")} }`;

interface DeclaredReply extends ReplyContent {
  readonly key: string;
}

const repliesOf = (method: string, operation: JsonObject, document: OpenapiReader): DeclaredReply[] =>
  Object.entries(child(operation, "responses"))
    .filter(([status]) => /^(?:[1-5]\d\d|[1-5]XX|default)$/.test(status))
    .map(([status, value]) => {
      const content = method === "HEAD" ? {} : child(document.resolve(value), "content");
      const key = /X/.test(status) ? inert(status) : status;
      if (Object.keys(content).length === 0)
        return { key, ...(method === "HEAD" || /^\d+$/.test(status) ? noContent : openContent) };
      return { key, ...contentsOf(content, document) };
    });

/** Content of a single status without content: no body. For a range without content the body is undeclared, as in `contractTest`. */
const noContent: ReplyContent = { kinds: ["none"], type: "undefined" };
