/** The framework with `@framework/auth`, which caches verified tokens. */
import { App } from "@framework/core";
import { JwtClaims } from "@framework/core/feature";
import { serveProcessMetrics } from "../process-metrics.ts";
import { JwtAuth } from "./auth-package.ts";
import { AUDIENCE, ISSUER, MAX_CACHED_TOKENS, SECRET } from "./rules.ts";

const auth = new JwtAuth({
  secret: SECRET,
  issuer: ISSUER,
  audience: AUDIENCE,
  cachedTokens: MAX_CACHED_TOKENS,
});
const app = new App().use(auth);
app.get("/me", (request) => ({ sub: request.context.get(JwtClaims)?.sub }));
await serveProcessMetrics();
await app.run({ env: "production", workers: 1, transport: "fast", argv: [] });
