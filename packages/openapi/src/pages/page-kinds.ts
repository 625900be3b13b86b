import { redoc, swaggerUi } from "./bundle.ts";
import type { PageKind } from "./page.ts";

/** Swagger UI: shows and tries operations. The page's URL does not configure it, and no remote validator is used. */
export const swaggerPage: PageKind = {
  bundle: swaggerUi,
  script: `
const page = document.getElementById("page");
document.body.style.margin = "0";
SwaggerUIBundle({
  domNode: page,
  url: new URL(page.dataset.document, location.href).href,
  deepLinking: true,
  queryConfigEnabled: false,
  validatorUrl: null,
});
`,
  policy: ["style-src 'self'"],
};

/** Redoc: read only. Text of the document is sanitised; search runs in a worker created from a blob. */
export const redocPage: PageKind = {
  bundle: redoc,
  script: `
const page = document.getElementById("page");
document.body.style.margin = "0";
Redoc.init(new URL(page.dataset.document, location.href).href, { untrustedSpec: true }, page);
`,
  policy: ["style-src 'unsafe-inline'", "worker-src blob:"],
};
