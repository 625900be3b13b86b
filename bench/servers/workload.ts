/** What every server of the ratio answers to `GET /json`. */
export const greeting = (): object => ({ message: "hello", framework: "measured", ok: true });

/** What a client posts to `/echo`. */
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

/** The one check that all servers make: what is measured is the way to it, not a schema library. */
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
