/** Why a part of the page could not be read, and a button that reads it again. */
export const Failed = ({ problem, retry }: { readonly problem: string; readonly retry: () => void }) => (
  <section class="panel problems" aria-label="What could not be read">
    <p role="alert">{problem}</p>
    <button type="button" onClick={retry}>
      Retry
    </button>
  </section>
)
