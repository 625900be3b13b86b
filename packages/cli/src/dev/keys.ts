/** The command of a key. */
export type KeyCommand = "restart" | "quit";

/** The keyboard: `process.stdin`, or a stream of a test. */
export interface Keyboard {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
  on(event: "data", listener: (piece: Buffer | string) => void): unknown;
  off(event: "data", listener: (piece: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Reads keys of a terminal until the returned function is called; other inputs are not read. After `quit`, `restart` is ignored. */
export const readKeys = (keyboard: Keyboard, onCommand: (command: KeyCommand) => void): (() => void) => {
  if (keyboard.isTTY !== true || keyboard.setRawMode === undefined) return () => {};
  let hasQuit = false;
  const onData = (piece: Buffer | string): void => {
    for (const key of piece.toString()) {
      if (key === "r" && !hasQuit) onCommand("restart");
      if (key !== "q" && key !== CONTROL_C) continue;
      hasQuit = true;
      onCommand("quit");
    }
  };
  keyboard.setRawMode(true);
  keyboard.on("data", onData);
  keyboard.resume();
  return () => {
    keyboard.off("data", onData);
    keyboard.setRawMode?.(false);
    keyboard.pause();
  };
};

/** In raw mode the terminal sends no SIGINT for it. */
const CONTROL_C = "\u0003";
