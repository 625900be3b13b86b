import type { Clock } from "@framework/core/feature";

const BUCKETS = 12;
const BUCKET_MS = 300_000;

/** Counts events of about the past hour, in twelve buckets of five minutes. */
export class HourlyCount {
  private readonly clock: Pick<Clock, "now">;
  private buckets: { readonly at: number; count: number }[] = [];

  constructor(clock: Pick<Clock, "now">) {
    this.clock = clock;
  }

  add(): void {
    const at = this.bucket;
    const last = this.buckets.at(-1);
    if (last?.at === at) last.count++;
    else this.buckets = [...this.recent, { at, count: 1 }];
  }

  get total(): number {
    return this.recent.reduce((sum, { count }) => sum + count, 0);
  }

  private get bucket(): number {
    return Math.floor(this.clock.now() / BUCKET_MS);
  }

  private get recent(): { readonly at: number; count: number }[] {
    return this.buckets.filter(({ at }) => at > this.bucket - BUCKETS);
  }
}
