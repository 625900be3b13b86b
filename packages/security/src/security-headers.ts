import { explainedBy, type ConfigInput, type Feature, mapOutput, waitsOnce } from "@framework/core/feature";
import type { HttpRequest, Middleware, Response } from "@framework/core";
import { policyProblems } from "./content-security-policy.ts";
import { CspNonce } from "./csp-nonce.ts";
import { withReasons } from "./field-reasons.ts";
import { type SecurityFields, securityFields } from "./security-fields.ts";
import { SecurityHeadersConfig } from "./security-headers-config.ts";

/** The methods that the feature adds to an app. */
export interface SecurityHeaders {
  /** Adds the security header fields to every reply. @throws CORE_BAD_CONFIG at start, together with all other configuration errors */
  enableSecurityHeaders(config?: ConfigInput<SecurityHeadersConfig>): this;
}

/**
 * Security header fields on every reply, errors included. A field that the reply already has is kept.
 *
 * @example
 * const app = new (App.with(securityHeaders))().enableSecurityHeaders({ frameOptions: "SAMEORIGIN" });
 */
export const securityHeaders: Feature<SecurityHeaders> = {
  name: "security-headers",
  install: (host) => ({
    enableSecurityHeaders(input) {
      const config = host.configure(SecurityHeadersConfig, input);
      const { contentSecurityPolicy: policy } = config;
      const problems = policy === false ? absentPolicyProblems(config) : policyProblems(policy);
      for (const problem of problems) {
        const message = `SecurityHeadersConfig.contentSecurityPolicy: ${problem}`;
        host.problem({ code: "CORE_BAD_CONFIG", message });
      }
      // In a stage outside `headers`, because CORS answers preflights there, and they need these fields too.
      const fields = securityFields(config);
      const adding = waitsOnce(addFields(fields));
      host.http.use("request-id", explainedBy(adding, withReasons(adding, fields, host.insight.reasons)));
      return this;
    },
  }),
};

const absentPolicyProblems = ({ reportOnly }: SecurityHeadersConfig): string[] =>
  reportOnly ? ["false leaves nothing to report; remove reportOnly, or give a policy"] : [];

const addFields = (fields: SecurityFields): Middleware<HttpRequest, Response> => {
  const complete = (reply: Response, request: HttpRequest): Response => withFields(fields, request, reply);
  return function addFields(request, next) {
    return mapOutput(next(request), complete, request);
  };
};

const withFields = (fields: SecurityFields, request: HttpRequest, reply: Response): Response => {
  addMissing(fields.always, reply);
  if (fields.overTls.length > 0 && request.isSecure) addMissing(fields.overTls, reply);
  const { policy } = fields;
  if (policy !== null && policy.withNonce !== null && !reply.headers.has(fields.policyName)) {
    const nonce = request.context.get(CspNonce);
    reply.headers.append(fields.policyName, nonce === null ? policy.plain : policy.withNonce(nonce));
  }
  return reply;
};

const addMissing = (fields: readonly string[], { headers }: Response): void => {
  const present = headers.toFields();
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] as string;
    if (!holds(present, name)) headers.append(name, fields[index + 1] as string);
  }
};

/** Whether the fields include a name; both are in lower case. */
const holds = (fields: readonly string[], name: string): boolean => {
  for (let index = 0; index < fields.length; index += 2) if (fields[index] === name) return true;
  return false;
};
