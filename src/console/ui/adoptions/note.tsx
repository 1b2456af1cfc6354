/** As much as a row shows of a note at once. */
const SHORT = 120;

/** What somebody wrote of an adoption, with its lines; a long one is opened. */
export const Note = ({ text }: { text: string | undefined }) => {
  if (!text) return <>–</>;
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
