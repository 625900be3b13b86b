import { createHash } from "node:crypto";
import { type HttpRequest, Response } from "@framework/core";
import { negotiateEncoding, precondition } from "@framework/core/http";
import { type BundleFile, bundleFiles, type Coding, GRAPHIQL_VERSION, readBundle } from "./bundle.ts";

/** Returns the path of a file of the page, with the version, so that clients can cache it forever. */
export const filePath = (path: string, file: BundleFile): string =>
  `${path}/graphiql-${GRAPHIQL_VERSION}/${file}`;

/**
 * Script of the page. It is constant, so its hash in the policy is constant; values come from attributes of the root element. `fixAccessibility` corrects
 * GraphiQL for screen readers: a tab may not contain buttons, and the page needs a heading.
 */
const SCRIPT = `
const root = document.getElementById("root");
const put = (selector, attributes) => {
  for (const each of root.querySelectorAll(selector))
    for (const [name, value] of Object.entries(attributes))
      if (value === null) each.removeAttribute(name);
      else if (each.getAttribute(name) !== value) each.setAttribute(name, value);
};
const fixAccessibility = () => {
  put(".graphiql-logo", { role: "heading", "aria-level": "1" });
  put(".graphiql-tabs", { role: "list" });
  put(".graphiql-tab", { role: "listitem", "aria-selected": null });
  put(".graphiql-tab:not(.graphiql-tab-active) .graphiql-tab-button", { "aria-current": null });
  put(".graphiql-tab-active .graphiql-tab-button", { "aria-current": "true" });
  put("#graphiql-session", { role: "group", "aria-label": "Operation and result", "aria-labelledby": null });
};
new MutationObserver(fixAccessibility).observe(root, { attributes: true, childList: true, subtree: true });
const colours = new CSSStyleSheet();
colours.replaceSync(".graphiql-container .graphiql-logo { color: inherit }");
document.adoptedStyleSheets = [colours];
const files = new URL(root.dataset.files, location.href).href;
const workers = { editorWorkerService: "editor", json: "json", graphql: "graphql" };
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (id, label) => files + (workers[label] ?? "editor") + ".worker.js" };
YogaGraphiQL.renderYogaGraphiQL(root, {
  endpoint: new URL(root.dataset.endpoint, location.href).href,
  subscriptionsProtocol: "WS",
  title: "GraphiQL",
});
`;

const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`,
  "style-src 'self' 'unsafe-inline'",
  "worker-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Returns the page of GraphiQL for an endpoint. All its URLs are relative, so that it works under a prefix that a proxy adds. */
export const createPage = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const files = `./${name}/graphiql-${GRAPHIQL_VERSION}/`;
  return [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>GraphiQL</title>",
    '<link rel="icon" href="data:,">',
    `<link rel="stylesheet" href="${files}graphiql.css">`,
    '<body class="no-focus-outline">',
    `<main id="root" data-endpoint="./${name}" data-files="${files}"></main>`,
    `<script src="${files}graphiql.js"></script>`,
    `<script>${SCRIPT}</script>`,
    "</html>",
    "",
  ].join("\n");
};

/** Returns the reply with the page. */
export const sendPage = (html: string): Response =>
  new Response(html, {
    contentType: "text/html; charset=utf-8",
    headers: {
      "cache-control": "no-cache",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      vary: "Accept",
      "x-content-type-options": "nosniff",
    },
  });

/** Returns the reply with a file of the page, compressed if the client accepts Brotli; 304 if the client has the file. */
export const sendFile = async (request: HttpRequest, file: BundleFile): Promise<Response> => {
  const coding = codingOf(request);
  const etag = `"${GRAPHIQL_VERSION}-${coding}"`;
  const headers = {
    "cache-control": "max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    vary: "Accept-Encoding",
    etag,
  };
  if (precondition(request, { etag, lastModifiedMs: null }) === "not-modified") {
    const reply = new Response(null, { headers });
    reply.status = 304;
    return reply;
  }
  const encoded = coding === "br" ? { ...headers, "content-encoding": "br" } : headers;
  return new Response(await readBundle(file, coding), {
    contentType: bundleFiles[file][0],
    headers: encoded,
  });
};

const codingOf = (request: HttpRequest): Coding =>
  negotiateEncoding(request.getHeader("accept-encoding"), ["br"]) === "br" ? "br" : "identity";
