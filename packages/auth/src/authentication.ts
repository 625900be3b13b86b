import type {
  Awaitable,
  Handler,
  HttpRequest,
  HttpMiddlewareObject,
  Invocation,
  Response,
} from "@framework/core";
import {
  type Authenticator,
  canonicalPrefix,
  type DecisionReasons,
  type Host,
  type ImpliedReply,
  isUnder,
  mapAwaitable,
  prefixProblem,
} from "@framework/core/feature";
import type { AuthDescription, SecuritySchemes } from "./auth-description.ts";
import { authError, authProblem } from "./errors.ts";
import { recordSkipped } from "./guards/no-caller.ts";

/**
 * Base of `JwtAuth`, `BasicAuth`, `ApiKeyAuth` and `anyOf`: a middleware that refuses requests without valid credentials.
 *
 * Other entry points, such as messages, GraphQL and gRPC, call `identify` with their invocation.
 */
export abstract class Authentication implements HttpMiddlewareObject, Authenticator {
  private readonly skipped: string[] = [];
  private readonly mistakes: string[] = [];
  private readonly hosts: WeakSet<Host> = new WeakSet();
  /** The observers of decisions, such as `framework explain`: one per app. */
  private readonly observers: DecisionReasons[] = [];
  private started = false;

  /**
   * Exempts an HTTP path and everything below it: `/health` covers `/health/live`, not `/healthz`. Write the path decoded, like that of a route.
   *
   * @throws AUTH_ALREADY_STARTED after start; an invalid path is a start error, AUTH_BAD_SKIP_PATH
   */
  skipPath(path: string): this {
    if (this.started)
      throw authError("AUTH_ALREADY_STARTED", `call skipPath("${path}") before the app starts`);
    const problem = prefixProblem(path);
    if (problem === null) this.skipped.push(canonicalPrefix(path));
    else this.mistakes.push(`skipPath: ${problem}`);
    return this;
  }

  /**
   * Reads the credentials of an invocation from its headers or metadata, or, if configured, from the cookies and query of a request, and sets the
   * caller in its context. Only `handle` honours `skipPath`.
   *
   * @throws UnauthorizedError 401 with its challenge for missing, invalid or expired credentials; HttpError 503 when they cannot be checked
   */
  abstract identify(invocation: Invocation): Awaitable<void>;

  /** Authenticates the request and passes it to `next`. @throws the errors of `identify` */
  handle(request: HttpRequest, next: Handler<HttpRequest, Response>): Awaitable<Response> {
    if (this.skips(request.path)) {
      this.explain(request, "skipPath exempts the path");
      recordSkipped(request, this);
      return next(request);
    }
    request.readCredentials(this.credentialFields());
    if (this.observers.some(isObserved)) return this.identifyAndExplain(request, next);
    return mapAwaitable(this.identify(request), () => next(request));
  }

  private async identifyAndExplain(
    request: HttpRequest,
    next: Handler<HttpRequest, Response>,
  ): Promise<Response> {
    const sent = this.credentialFields().filter((name) => request.headers.has(name));
    this.explain(
      request,
      sent.length === 0
        ? `the request does not have ${this.credentialFields().join(", ")}`
        : `the request has ${sent.join(", ")}`,
    );
    await this.identify(request);
    this.explain(request, "the caller is authenticated");
    return next(request);
  }

  private explain(request: HttpRequest, reason: string): void {
    for (const reasons of this.observers) if (reasons.isObserved) reasons.give(request, reason);
  }

  /** Adds the authentication to an app; a repeated call for the same app has no effect. */
  install(host: Host): void {
    if (this.hosts.has(host)) return;
    this.hosts.add(host);
    this.observers.push(host.insight.reasons);
    for (const mistake of this.mistakes) host.problem(authProblem("AUTH_BAD_SKIP_PATH", mistake));
    this.prepare(host);
    host.life.onStart({ name: "authentication", run: () => void (this.started = true) });
  }

  /** Returns the description for API documents. */
  describeAuth(): AuthDescription {
    return { schemes: this.schemes(), skips: (path) => this.skips(path), replies: this.replies() };
  }

  /** Whether a canonical path is exempt. */
  skips(path: string): boolean {
    for (const skipped of this.skipped) if (isUnder(path, skipped)) return true;
    return false;
  }

  protected abstract schemes(): SecuritySchemes;
  /** Returns the replies besides 401, for API documents; none if credentials can always be checked. */
  protected replies(): readonly ImpliedReply[] {
    return [];
  }
  /** Returns the names of the request fields that `identify` reads, for `Vary`. */
  abstract credentialFields(): readonly string[];
  /** Reports mistakes and registers start tasks. Called once per app. */
  protected abstract prepare(host: Host): void;
}

const isObserved = (reasons: DecisionReasons): boolean => reasons.isObserved;
