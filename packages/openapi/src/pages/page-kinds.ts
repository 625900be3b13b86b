import { redoc, swaggerUi } from "./bundle.ts";
import type { PageKind } from "./page.ts";

/**
 * Script that defines `onEveryChange`, which calls a function after every change of the page. The function corrects attributes for screen readers, each only
 * if it differs, so that it does not trigger itself.
 */
const ON_EVERY_CHANGE = `
const put = (selector, attributes) => {
  for (const each of document.querySelectorAll(selector))
    for (const [name, value] of Object.entries(attributes))
      if (value === null) each.removeAttribute(name);
      else if (each.getAttribute(name) !== value) each.setAttribute(name, value);
};
const heading = (selector, level) => put(selector, { role: "heading", "aria-level": String(level) });
const onEveryChange = (correct) =>
  new MutationObserver(correct).observe(document.body, { attributes: true, childList: true, subtree: true });
`;

/** Colours with sufficient contrast (WCAG 2.2, 1.4.3). */
const SWAGGER_COLOURS = `
.swagger-ui .info .title small { background: #5a6270 }
.swagger-ui .info .title small.version-stamp { background: #476200 }
.swagger-ui .info a, .swagger-ui .info .link .url { color: #1659ab }
.swagger-ui .opblock .opblock-summary-method { background: #45505f; text-shadow: none }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #17703f }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1659ab }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a4b05 }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0c6a57 }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3181a }
.swagger-ui .json-schema-2020-12-expand-deep-button { color: #454545 }
.swagger-ui .parameter__in { color: #595959 }
.swagger-ui pre.example span[style*="211, 99, 99"] { color: #ff9d9d !important }
`;

/** Swagger UI: shows operations and sends requests to them. Ignores parameters of the page's URL, and uses no remote validator. */
export const swaggerPage: PageKind = {
  bundle: swaggerUi,
  hasMain: true,
  script: `${ON_EVERY_CHANGE}
const page = document.getElementById("page");
document.body.style.margin = "0";
const colours = new CSSStyleSheet();
colours.replaceSync(\`${SWAGGER_COLOURS}\`);
document.adoptedStyleSheets = [colours];
onEveryChange(() => {
  heading("#page h3", 2);
  heading("#page h4", 3);
  heading("#page h5", 4);
  put("#page button a.nostyle", { href: null });
  put("#page .information-container", { role: "region", "aria-label": "About" });
  put("#page .scheme-container", { role: "region", "aria-label": "Servers" });
  put("#page select#servers", { "aria-label": "Server" });
});
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

/** Redoc: shows operations. Text of the document is sanitised; search runs in a worker created from a blob. */
export const redocPage: PageKind = {
  bundle: redoc,
  hasMain: false,
  script: `${ON_EVERY_CHANGE}
const page = document.getElementById("page");
document.body.style.margin = "0";
onEveryChange(() => heading("#page h5", 3));
Redoc.init(new URL(page.dataset.document, location.href).href, { untrustedSpec: true }, page);
`,
  policy: ["style-src 'unsafe-inline'", "worker-src blob:"],
};
