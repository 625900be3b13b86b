import { App, type HttpRequest } from "@framework/core";
import { csrf, CsrfConfig, csrfToken, cspNonce, rotateCsrfToken, securityHeaders } from "./index.ts";

const app = new (App.with(securityHeaders, csrf))();

app
  .enableSecurityHeaders()
  .enableSecurityHeaders({
    contentSecurityPolicy: { "script-src": ["'self'", "'nonce'"] },
    strictTransportSecurity: { maxAge: 60, includeSubDomains: true },
    permissionsPolicy: false,
  })
  .enableCsrf()
  .enableCsrf(CsrfConfig.of({ secret: new Uint8Array(32) }))
  .enableCsrf({ session: (request) => request.cookies.get("login") })
  .get("/", (request) => `${cspNonce(request)} ${csrfToken(request)} ${rotateCsrfToken(request, null)}`);

// @ts-expect-error the methods exist only if the features are composed
new App().enableSecurityHeaders();

// @ts-expect-error composing securityHeaders does not add csrf
new (App.with(securityHeaders))().enableCsrf();

// @ts-expect-error a misspelt option
app.enableSecurityHeaders({ frameOption: "DENY" });

// @ts-expect-error an unknown policy
app.enableSecurityHeaders({ referrerPolicy: "none" });

// @ts-expect-error false omits a field; true is not a value
app.enableSecurityHeaders({ frameOptions: true });

// @ts-expect-error a session is a string
app.enableCsrf({ session: (request: HttpRequest) => request.params });
