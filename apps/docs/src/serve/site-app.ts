import { App } from "@framework/core";
import { securityHeaders } from "@framework/security";
import { staticFiles } from "@framework/static-files";

/** Creates an app that serves the built site. Its policy allows the site's own files and nothing else: no inline script or style, no other host. */
export const siteApp = (directory: string): App =>
  new (App.with(staticFiles, securityHeaders))()
    .enableSecurityHeaders({
      contentSecurityPolicy: {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["'none'"],
        "require-trusted-types-for": ["'script'"],
      },
    })
    .enableStaticFiles({ directory, prefix: "/" });
