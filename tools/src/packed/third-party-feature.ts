/** A third-party feature, which uses only core's public entries. */
export const FEATURE = `import type { HttpRequest } from "@framework/core";
import { dependency, Response } from "@framework/core";
import {
  type AddsRouteOptions,
  type ConfigInput,
  configRecord,
  createInvocation,
  type Feature,
  integer,
} from "@framework/core/feature";

export interface AuditConfig {
  readonly adminPort: number;
}
export const AuditConfig = configRecord<AuditConfig>("AuditConfig", {
  adminPort: integer(0, { min: 0, max: 65_535 }),
});

export interface Audit
  extends AddsRouteOptions<{
    /** The caller's action on this route, for the trail; \`false\` omits it. */
    readonly audit?: { readonly action: string } | false;
  }> {
  enableAudit(config?: ConfigInput<AuditConfig>): this;
}

/** The actions of one request or one entry. */
export class Trail {
  readonly lines: string[] = [];
}
export const AuditTrail = dependency("audit_trail", { scope: "invocation", create: () => new Trail() });

const say = (line: string): void => void process.stdout.write(\`audit: \${line}\\n\`);

export const audit: Feature<Audit> = {
  name: "audit",
  install(host) {
    const option = host.http.routeOption("audit", (value) =>
      value !== false && value.action === "" ? "action must not be empty" : null,
    );
    const actions = host.insight.operation<HttpRequest>({
      kind: "audit",
      role: "internal",
      describe: ({ endpoint }) => {
        const value = option.of(endpoint);
        return { name: value === undefined || value === false ? "none" : value.action };
      },
    });
    const seconds = host.insight.histogram({ name: "audit_action_duration_seconds", help: "Audited work.", labels: ["action"] });
    return {
      enableAudit(config) {
        const { adminPort } = host.configure(AuditConfig, config);
        const trail = new Trail();
        host.http.use("app", (request, next) => {
          const value = option.of(request.endpoint);
          return value === undefined || value === false ? next(request) : actions.run(request, next);
        });
        host.insight.onOperation({
          kinds: ["audit"],
          start: () => null,
          end: ({ name, durationMs }) => {
            seconds.observe((durationMs ?? 0) / 1000, { action: name });
            trail.lines.push(durationMs === null ? "untimed" : name);
          },
        });
        host.state.inject("audit entry", { trail: AuditTrail });
        const admin = host.life.listener({
          name: "audit",
          port: adminPort,
          serve: ({ target }) =>
            host.state.invoke(createInvocation({ kind: "audit", name: "entry" }), { trail: AuditTrail }, ({ trail: own }) => {
              own.lines.push(target);
              return Response.json({ pid: process.pid, actions: trail.lines, own: own.lines });
            }),
        });
        host.life
          .onListening(() => say(\`port \${admin.address?.port ?? "none"}.\`))
          .onDrain(async () => {
            await new Promise((resolve) => setImmediate(resolve));
            say("drained");
          })
          .onStop(() => say("stopped"));
        return this;
      },
    };
  },
};
`;

/** A service with that feature. */
export const SERVICE = `import { App } from "@framework/core";
import { audit } from "audit";

class Books extends App.with(audit) {}

const app = new Books();
if (process.env["AUDIT"] !== "off") app.enableAudit();
app.get("/books/{id}", { audit: { action: "read" } }, (request) => ({ id: request.params.id }));
app.get("/open", { audit: false }, () => "open");
if (process.env["AUDIT"] === "misspelt") app.get("/odd", { adit: { action: "read" } } as object, () => "odd");
await app.run({ port: 0, workers: Number(process.env["WORKERS"]), logs: false });
`;

/** Uses that must not compile, each with its reason. */
export const REFUSED = `import { App } from "@framework/core";
import { audit } from "audit";

const app = new (App.with(audit))();
// @ts-expect-error the option is an object with an action
app.get("/a", { audit: "read" }, () => 1);
// @ts-expect-error a misspelt option
app.get("/b", { adit: { action: "read" } }, () => 1);
// @ts-expect-error the feature was not composed
new App().get("/c", { audit: { action: "read" } }, () => 1);
`;
