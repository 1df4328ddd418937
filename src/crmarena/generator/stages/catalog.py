"""What the company sells and what goes wrong: categories, products, price books, issues."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from crmarena.clock import format_datetime
from crmarena.generator.book import Book, Record
from crmarena.generator.plan import Plan
from crmarena.generator.profile import Product
from crmarena.schema.ids import make_id
from crmarena.seeds import Seeds

_CATALOG_PREFIX = "0ZS"
_YEARS_BEFORE = 2


def make(plan: Plan, book: Book, seeds: Seeds) -> None:
    """Add issues, categories, products, price books and their entries."""
    start = datetime.combine(plan.worktime.first - timedelta(days=365), time(17), tzinfo=UTC)
    rng = seeds.random("catalog")
    # Entered in an order of chance, so that the age of a record tells nothing.
    moments = [start + timedelta(minutes=7 * k) for k in range(200)]
    rng.shuffle(moments)
    _issues(plan, book, moments)
    categories = _categories(plan, book, seeds, moments)
    products = [_product(book, product, moments.pop()) for product in plan.profile.products]
    products[-1]["IsActive"] = False
    for record, product in zip(products, plan.profile.products, strict=True):
        _listing(book, record, [categories[name] for name in product.categories], start)
    _prices(plan, book, products, start)


def product_number(plan: Plan, book: Book) -> dict[str, int]:
    """For each product's Id its number in the plan."""
    return {record["Id"]: number for number, record in enumerate(book.records["Product2"])}


def _issues(plan: Plan, book: Book, moments: list[datetime]) -> None:
    for issue in plan.profile.issues:
        fields = {"Name": issue.name, "Description__c": issue.description}
        book.add("Issue__c", moments.pop(), **fields, OwnerId=book.author)


def _categories(plan: Plan, book: Book, seeds: Seeds, moments: list[datetime]) -> dict[str, Record]:
    number = seeds.random("catalog", "id").randrange(62**6)
    catalog = make_id(_CATALOG_PREFIX, book.author[3:7], number)
    return {
        name: book.add("ProductCategory", moments.pop(), Name=name, CatalogId=catalog)
        for name in plan.profile.categories
    }


def _product(book: Book, product: Product, created: datetime) -> Record:
    code = "".join(word[:3] for word in product.name.split()).upper()
    return book.add(
        "Product2",
        created,
        Name=product.name,
        Description=product.description,
        IsActive=True,
        ProductCode=code,
        External_ID__c=f"{code}-{len(book.records['Product2']) * 37 % 900 + 100}",
    )


def _listing(book: Book, product: Record, categories: list[Record], created: datetime) -> None:
    for place, category in enumerate(categories):
        book.add(
            "ProductCategoryProduct",
            created + timedelta(days=1),
            ProductCategoryId=category["Id"],
            ProductId=product["Id"],
            CatalogId=category["CatalogId"],
            IsPrimaryCategory=place == 0,
        )


def _prices(plan: Plan, book: Book, products: list[Record], created: datetime) -> None:
    """The price book in force, with an entry for each product still sold, and one long expired."""
    year = plan.worktime.first.year
    book.add(
        "Pricebook2",
        created,
        Name=f"{plan.profile.company} {year - _YEARS_BEFORE}",
        Description="Former prices.",
        ValidFrom=_new_year(year - _YEARS_BEFORE),
        ValidTo=_new_year(year - 1),
    )
    current = book.add(
        "Pricebook2",
        created,
        Name="Standard Price Book",
        Description="Prices in force.",
        IsActive=True,
        IsStandard=True,
        ValidFrom=_new_year(year),
    )
    for record, product in zip(products[:-1], plan.profile.products[:-1], strict=True):
        book.add(
            "PricebookEntry",
            created + timedelta(days=2),
            Pricebook2Id=current["Id"],
            Product2Id=record["Id"],
            UnitPrice=product.price,
            Name=product.name,
            ProductCode=record["ProductCode"],
            IsActive=True,
        )


def _new_year(year: int) -> str:
    return format_datetime(datetime(year, 1, 1, tzinfo=UTC))
