import { PageTitle } from './page-title.tsx';
export default function Blocks() {
  return <PageTitle>Blocks</PageTitle>;
}
