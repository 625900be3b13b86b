import { waitFor } from "./wait-for.ts";

const found: string = await waitFor(() => (Math.random() > 0.5 ? "yes" : undefined));
const size: number = await waitFor(async () => found.length);

// @ts-expect-error the interval is spelt with its unit
await waitFor(() => size, { interval: 10 });
