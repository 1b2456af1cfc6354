import { useLayoutEffect, useRef } from "preact/hooks";

const STEPS = [
  ["up", "↑", -1],
  ["down", "↓", 1],
] as const;

interface MoveProps {
  /** The item, for screen readers. */
  name: string;
  at: number;
  count: number;
  onMove: (to: number) => void;
}

/** The buttons that move an item in its list. The pressed one keeps the focus, although its row moves in the document. */
export const MoveButtons = ({ name, at, count, onMove }: MoveProps) => {
  const pressed = useRef<HTMLElement>();
  useLayoutEffect(() => {
    pressed.current?.focus();
    pressed.current = undefined;
  }, [at]);
  return (
    <>
      {STEPS.map(([direction, mark, step]) => {
        const to = at + step;
        const isPossible = to >= 0 && to < count;
        return (
          <button
            key={direction}
            type="button"
            class="small secondary outline"
            aria-label={`Move ${name} ${direction}`}
            aria-disabled={!isPossible}
            onClick={({ currentTarget }) => {
              pressed.current = currentTarget;
              if (isPossible) onMove(to);
            }}
          >
            {mark}
          </button>
        );
      })}
    </>
  );
};
