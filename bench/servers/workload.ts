/** Body of `GET /json` on every server. */
export const greeting = (): object => ({ message: "hello", framework: "measured", ok: true });

/** Parses a path parameter as a number; null for anything but 1 to 15 digits. */
export const wholeNumber = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/** Body of a POST to `/echo`. */
export interface Order {
  readonly customer: string;
  readonly items: readonly { readonly sku: string; readonly amount: number }[];
  readonly note: string;
}

/** An order of 200 bytes as JSON. */
export const orderText: string = JSON.stringify({
  customer: "0f9d1c52-6a43-4c1e",
  items: [
    { sku: "AB-1001", amount: 2 },
    { sku: "CD-2002", amount: 1 },
    { sku: "EF-3003", amount: 12 },
  ],
  note: "please ring twice the bell is slow; thank you, see you then",
} satisfies Order);

/** Validates an order, for frameworks without validation. */
export const isOrder = (value: unknown): value is Order => {
  if (!isRecord(value)) return false;
  const { customer, items, note } = value as Partial<Order>;
  return (
    typeof customer === "string" && typeof note === "string" && Array.isArray(items) && items.every(isItem)
  );
};

const isItem = (value: unknown): boolean =>
  isRecord(value) && typeof value["sku"] === "string" && typeof value["amount"] === "number";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON Schema of an order, for frameworks that validate with it. */
export const orderSchema = {
  type: "object",
  required: ["customer", "items", "note"],
  properties: {
    customer: { type: "string" },
    items: {
      type: "array",
      items: {
        type: "object",
        required: ["sku", "amount"],
        properties: { sku: { type: "string" }, amount: { type: "number" } },
      },
    },
    note: { type: "string" },
  },
} as const;

const chunk = Buffer.alloc(64 * 1024, "x");

/** Number of chunks of the download. */
export const CHUNK_COUNT = 16;

/** Bytes of the download. */
export const downloadBytes: number = chunk.length * CHUNK_COUNT;

/** Yields the download of 1 MiB in chunks of 64 KiB. */
export function* chunks(): Generator<Buffer> {
  for (let index = 0; index < CHUNK_COUNT; index++) yield chunk;
}
