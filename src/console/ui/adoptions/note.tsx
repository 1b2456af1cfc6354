/** Characters of a note that a row shows in full. */
const SHORT = 120;

/** The note of an adoption. A long one is folded. */
export const Note = ({ text }: { text: string | undefined }) => {
  if (!text) return null;
  const isShort = text.length <= SHORT && text.split("\n").length <= 3;
  if (isShort) return <bdi class="note">{text}</bdi>;
  return (
    <details class="note">
      <summary>
        <bdi>{text.slice(0, SHORT / 2).trimEnd()}…</bdi>
      </summary>
      <bdi>{text}</bdi>
    </details>
  );
};
