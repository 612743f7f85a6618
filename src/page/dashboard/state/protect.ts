import { ControlError, type ProjectControl } from "../../../control/client/index.ts";
import { useConfirm } from "../parts/dialog.tsx";

/** The snapshots that the page takes by itself. The second one is for a restore of the first one. */
const names = ["Before the last import or restore", "Before the last undo"] as const;

export function isAutomatic(name: string): boolean {
  return (names as readonly string[]).includes(name);
}

type Undo = () => Promise<unknown>;

/**
 * Returns a function that takes a snapshot of the state before the state is replaced. It resolves to a function that
 * restores this snapshot. If no snapshot can be taken, the user decides; it resolves to undefined if the user cancels.
 */
export function useProtection(controls: ProjectControl): (restored?: string) => Promise<Undo | undefined> {
  const confirm = useConfirm();
  return async (restored) => {
    const name = restored === names[0] ? names[1] : names[0];
    try {
      await controls.snapshot(name);
      return () => controls.restore(name);
    } catch (error) {
      if (!(error instanceof ControlError) || error.status !== 409) throw error;
      const question = "The project has the maximum number of snapshots, so this cannot be undone. Replace the state?";
      const isConfirmed = await confirm({ question, yes: "Replace the state" });
      return isConfirmed ? () => Promise.reject(new Error("no snapshot was taken")) : undefined;
    }
  };
}
