import { isPromise } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Container } from "./container.ts";
import { Lifetime } from "./lifetime.ts";

/** The dependencies of one request. */
export class RequestScope extends Lifetime {
  readonly container: Container;
  readonly request: HttpRequest;
  private users = 0;
  private unused: PromiseWithResolvers<void> | undefined;

  constructor(container: Container, request: HttpRequest) {
    super(container);
    this.container = container;
    this.request = request;
  }

  /** Keeps the values alive until `work` has settled, even if the exchange ends before: a handler may outlive its client. */
  during(work: unknown): void {
    if (!isPromise(work)) return;
    this.users++;
    const release = (): void => {
      if (--this.users === 0) this.unused?.resolve();
    };
    work.then(release, release);
  }

  /** Takes no more values, and ends those there are as soon as nothing uses them. Never rejects. */
  async dispose(): Promise<void> {
    this.close();
    if (this.isEmpty) return;
    const ending = this.endUnused();
    this.container.track(ending);
    await ending;
  }

  private async endUnused(): Promise<void> {
    if (this.users > 0) await (this.unused ??= Promise.withResolvers<void>()).promise;
    await this.end();
  }
}
