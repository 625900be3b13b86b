import type { ListenAddress } from "../../exchange/transport.ts";

/** A port that the primary process holds. */
export interface HeldPort {
  readonly port: number;
  readonly descriptor?: number;
  accepted(): number;
  close(): void;
}

/** Holds one port, for a feature's listener of that name or for the service itself. @throws the system's error */
export type HoldPort = (at: ListenAddress, name: string | undefined) => Promise<HeldPort>;
