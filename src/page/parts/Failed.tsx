/** The reason why a part of the page could not be read, and a retry button. */
export const Failed = ({ problem, retry }: { readonly problem: string; readonly retry: () => void }) => (
  <section class="panel problems" aria-label="Failed requests">
    <p role="alert">{problem}</p>
    <button type="button" onClick={retry}>
      Retry
    </button>
  </section>
)
