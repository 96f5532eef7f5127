from .columns import Columns as Columns
from .columns import DenseColumns as DenseColumns
from .sparse import SparseColumns as SparseColumns
from .store import open_store as open_store, read_store_labels as read_store_labels
from .store import write_store as write_store
from .genotypes import GenotypeColumns as GenotypeColumns
from .genotypes import open_genotypes as open_genotypes
from .inputs import from_anndata as from_anndata
from .inputs import as_columns as as_columns
from .twins import find_duplicates as find_duplicates, pair_correlations as pair_correlations
from .files import read_data as read_data
from .cluster import ClusterColumns as ClusterColumns
