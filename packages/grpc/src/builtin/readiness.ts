import type { Clock, HealthCheck } from "@framework/core/feature";

/** Milliseconds for which a run is reused: callers cannot start the checks more often. */
const REUSE_MS = 1000;
/** Timeout in milliseconds of a check that sets none. */
const CHECK_MS = 5000;

/** Whether the app is ready for calls, from the same checks as the readiness probe over HTTP. */
export class Readiness {
  private readonly checks: () => readonly HealthCheck[];
  private readonly clock: Clock;
  private isListening = false;
  private isDraining = false;
  private run: Promise<boolean> | null = null;
  private freshUntil = -Infinity;

  constructor(checks: () => readonly HealthCheck[], clock: Clock) {
    this.checks = checks;
    this.clock = clock;
  }

  /** Marks the service as accepting calls. */
  markListening(): void {
    this.isListening = true;
  }

  /** Marks the service as not ready. */
  drain(): void {
    this.isDraining = true;
  }

  /** Whether the service is ready; callers within one second share a run of the checks. Never rejects. */
  async isReady(): Promise<boolean> {
    if (!this.isListening || this.isDraining) return false;
    const now = this.clock.now();
    if (this.run === null || now >= this.freshUntil) {
      this.run = this.passes();
      this.freshUntil = now + REUSE_MS;
    }
    return (await this.run) && !this.isDraining; // a drain may have begun meanwhile
  }

  private async passes(): Promise<boolean> {
    const checks = this.checks().filter(
      ({ groups = ["ready"], critical = true }) => critical && groups.includes("ready"),
    );
    const outcomes = await Promise.all(checks.map((check) => this.passesOne(check)));
    return outcomes.every(Boolean);
  }

  private async passesOne({ run, timeoutSecs }: HealthCheck): Promise<boolean> {
    const controller = new AbortController();
    const { promise: timedOut, resolve } = Promise.withResolvers<boolean>();
    const stop = this.clock.after(timeoutSecs === undefined ? CHECK_MS : timeoutSecs * 1000, () => {
      controller.abort(new Error("the check took too long"));
      resolve(false);
    });
    const outcome = (async (): Promise<boolean> => {
      await run(controller.signal);
      return true;
    })().catch(() => false); // a check fails by throwing; the health feature reports the reason
    const passed = await Promise.race([outcome, timedOut]);
    stop();
    return passed;
  }
}
